// @ts-check
/**
 * The style of the box. Its rules are not in a layer, because resets of sites, such as `* { margin:
 * 0; padding: 0 }`, would override them. They have the specificity of one element name, so that the
 * site's rules for parts override them.
 */
import { ACTIVE } from "./box-colors.js";

const EDGE = "1px solid var(--pagekin-border,color-mix(in srgb,currentColor 55%,transparent))";
const ROUND = "border-radius:var(--pagekin-radius,8px)";
/** For secondary text. */
const QUIET = "color:var(--pagekin-muted,color-mix(in srgb,currentColor var(--pagekin-quiet,78%),transparent))";
const FOCUS = "outline:var(--pagekin-focus,2px solid currentColor)";
const HIDDEN = "position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap";

/** Rules within the box. Of equal specificity, the last one applies. */
const RULES = `svg{flex:none;inline-size:1.25em;block-size:1.25em;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
[part~=form]{margin:0}
[part~=label]{${HIDDEN}}
[part~=bar]{display:flex;align-items:start;padding-inline-start:.75em;background:var(--pagekin-background,transparent);border:${EDGE};${ROUND}}
[part~=bar]>svg{margin-block:calc((44px - 1.25em)/2);opacity:.75}
[part~=field]{flex:1;box-sizing:border-box;min-inline-size:0;min-block-size:44px;max-block-size:min(14em,40vh);margin:0;padding:calc((44px - 1.4em)/2) .6em;font:inherit;font-size:max(16px,1em);line-height:1.4;color:inherit;background:none;border:0;box-shadow:none;resize:none;field-sizing:content}
[part~=button]{display:inline-flex;align-items:center;justify-content:center;gap:.5em;min-inline-size:44px;min-block-size:44px;margin:0;padding:.2em .7em;font:inherit;font-size:.9em;color:inherit;background:none;border:0;${ROUND};cursor:pointer}
[part~=button][hidden]{display:none}
[part~=open],[part~=retry],[part~=show]{border:${EDGE}}
[part~=open]{padding-inline:.9em}
[part~=open],[part~=file]{font-size:1em}
[part~=keys]{padding:.1em .4em;font:inherit;font-size:.75em;color:inherit;background:none;border:${EDGE};border-radius:4px;box-shadow:none}
[part~=foot]{display:flex;flex-wrap:wrap;align-items:center;gap:0 1.2em;font-size:.85em;${QUIET}}
[part~=note]{flex:1 1 12em}
[part~=status]{display:block;min-block-size:1.5em;margin:.5em 0;font-size:.9em;${QUIET}}
[part~=folders]{display:flex;flex-wrap:wrap;gap:0 .4em;margin-block-start:.25em}
[part~=values]{align-items:center}
[data-counting] [part~=amount]{visibility:hidden}
[part~=filter-name]{flex:none;font-size:.9em;opacity:.8}
[part~=folder]{position:relative;display:inline-flex;flex:none;align-items:center;gap:.4em;min-inline-size:44px;min-block-size:34px;box-sizing:border-box;margin:5px 0;padding:0 .8em;font-size:.9em;font-weight:inherit;border:${EDGE};border-radius:22px;cursor:pointer}
[part~=folder] input{appearance:none;position:absolute;inset:-6px 0;margin:0;padding:0;background:none;border:0;border-radius:22px;cursor:pointer}
[part~=folder]:has(:checked){background:color-mix(in srgb,currentColor 14%,transparent);border-color:currentColor;outline:1px solid}
[part~=amount]{font-size:.85em}
[part~=list]{display:grid;grid-template-columns:minmax(0,1fr);gap:.25em;overflow-wrap:anywhere}
[part~=heading]{margin:1em 0 .5em;font-size:.9em;font-weight:bold}
[part~=item]{position:relative;padding:.6em .75em;${ROUND}}
[part~=item]:hover,[part~=button]:hover{background:color-mix(in srgb,currentColor 6%,transparent)}
[part~=item][data-active]{padding-inline-end:2.2em;background:color-mix(in srgb,currentColor ${100 * ACTIVE}%,transparent)}
[part~=title]{font-weight:600;text-decoration:none}
[part~=item] a:not([part~=title]){position:relative;z-index:1;text-decoration:underline}
[part~=list]:has([part~=thumbnail]) [part~=item]{min-block-size:4em;padding-inline-start:5.5em}
[part~=thumbnail]{position:absolute;inset-block-start:.6em;inset-inline-start:.75em;inline-size:4em;block-size:4em;max-inline-size:none;margin:0;object-fit:cover;border-radius:calc(var(--pagekin-radius,8px)/2)}
[part~=crumbs],[part~=meta],[part~=passage],[part~=terms],[part~=missing],[part~=copies]{margin:.15em 0 0;font-size:.9em;line-height:1.45}
[part~=crumbs],[part~=meta],[part~=terms],[part~=missing],[part~=copies]{${QUIET}}
[part~=crumbs]{font-size:.85em}
[part~=crumbs]{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
[data-awaited]{min-block-size:2.9em}
[part~=excerpt]{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
[part~=near]{margin-inline-start:.6em;padding:.1em .5em;font-size:.8em;border:${EDGE};border-radius:1em;white-space:nowrap}
[part~=remedies]{display:flex;flex-wrap:wrap;gap:.5em 1.5em}
[part~=remedy] [part~=link]{display:inline-block;padding:.6em 0}
[part~=heading]:first-child{margin-block-start:0}
[part~=typed]{font:inherit;color:inherit;background:none;text-decoration:underline;text-underline-offset:.15em}
[part~=mark]{margin:0;padding:0;font:inherit;color:inherit;background:var(--pagekin-mark,color-mix(in srgb,gold var(--pagekin-gold,28%),transparent))}
[part~=show]{margin-block:.5em}
[part~=past]{display:flex}
[part~=again]{flex:1;min-inline-size:0;justify-content:start;text-align:start;font-size:1em;overflow-wrap:anywhere}
[part~=dialog]{box-sizing:border-box;flex-direction:column;inline-size:min(44em,100% - 2em);max-inline-size:none;max-block-size:min(44em,100dvh - 12vh);margin:6vh auto auto;padding:.75em;font-size:max(1rem,16px);font-weight:normal;line-height:1.5;letter-spacing:normal;text-align:start;text-transform:none;white-space:normal;color:var(--pagekin-color,var(--pagekin-ink,CanvasText));background:var(--pagekin-background,var(--pagekin-page,Canvas));border:${EDGE};border-radius:var(--pagekin-radius,12px);box-shadow:0 1em 3em #0005;overflow:hidden}
[part~=dialog][open]{display:flex}
[part~=dialog] [part~=bar]{background:none}
[part~=dialog] [part~=body]{flex:1;min-block-size:0;margin-inline:-.75em;padding-inline:.75em;overflow:auto;overscroll-behavior:contain}
[part~=dialog] [part~=foot]{margin-block:.25em -.4em;border-block-start:${EDGE}}
:focus-visible:not([part~=field],[part~=body]){${FOCUS};outline-offset:-2px}
[part~=folder]:has(:focus-visible),[part~=item]:has([part~=title]:focus-visible),[part~=bar]:has([part~=field]:focus-visible){${FOCUS};outline-offset:-2px}
[part~=item]:has([part~=title]:focus-visible) [part~=title],[part~=bar]:has([part~=field]:focus-visible) [part~=field]{outline:0}`;

export const CSS = `${RULES.replace(/^(.*?)(?={)/gm, "pagekin-box :where($1)")}
pagekin-box[data-drop] [part~=bar]{outline:2px dashed currentColor;outline-offset:2px}
pagekin-box :where([part~=field])::placeholder{${QUIET};opacity:1}
pagekin-box :where([part~=item][data-active])::after{content:"↵" / "";position:absolute;inset-block-start:.6em;inset-inline-end:.75em;opacity:.75}
pagekin-box :where([part~=title])::after{content:"";position:absolute;inset:0}
pagekin-box :where([part~=dialog])::backdrop{background:#0008}
@media(hover:none),(pointer:coarse){pagekin-box :where([part~=keys],[part~=hints]){display:none}}
@media(max-width:40rem){pagekin-box :where([part~=dialog]){inline-size:100%;block-size:100dvh;max-block-size:none;margin:0;border:0;border-radius:0}
pagekin-box :where([part~=hints]){display:none}
pagekin-box :where([part~=folders]){flex-wrap:nowrap;margin-inline:-.75em;padding-inline:.75em;overflow-x:auto}
pagekin-box :where([part~=excerpt]){-webkit-line-clamp:3}
pagekin-box :where([data-awaited]){min-block-size:4.35em}}`;
