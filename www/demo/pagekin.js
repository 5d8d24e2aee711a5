// The demo is published beside the client, which its scripts import by this name.
export * from "../client/pagekin.js";
