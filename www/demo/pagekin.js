// The demo is published next to the client, which its scripts import under this name.
export * from "../client/pagekin.js";
