import { createHash } from 'node:crypto'
import { dashes, thickness } from './bars.ts'

/** The colors of the app, as far as a status page has any. */
const light =
  '--b:#fbf9f6;--c:#fffefd;--l:#e5e0d9;--i:#211a15;--j:#645b53;--u:#169057;--f:#8a5a00;--d:#cb2b3e;--uw:#0b6f42;--dw:#b31a30'
const dark =
  '--b:#15110e;--c:#1c1814;--l:#332d28;--i:#f2eee9;--j:#a89f97;--u:#3fb47a;--f:#e0aa4e;--d:#f0606c;--uw:#6fd49d;--dw:#ff8f95'

/** Kept short: every visitor loads it, and nothing else. */
export const style = [
  `:root{color-scheme:light dark;${light}}`,
  `@media(prefers-color-scheme:dark){:root{${dark}}}`,
  '*{box-sizing:border-box;margin:0}',
  'body{background:var(--b);color:var(--i);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}',
  'main{max-width:48rem;margin:0 auto;padding:2.5rem 1rem 2rem}',
  'h1{font-size:1.625rem;line-height:1.2;letter-spacing:-.02em}',
  'h2{font-size:1.125rem;margin:2.5rem 0 .75rem}',
  'h3{font-size:1rem;font-weight:600;line-height:1.35}',
  'a{color:inherit;text-underline-offset:.15em}',
  ':focus-visible{outline:2px solid;outline-offset:2px}',
  '.v{margin:1.25rem 0;padding:.875rem 1rem;border:1px solid var(--l);border-left:4px solid var(--j);border-radius:8px;background:var(--c);font-size:1.125rem;font-weight:600}',
  '.v.up{border-left-color:var(--u)}.v.failing{border-left-color:var(--f)}.v.down{border-left-color:var(--d)}',
  '.t p+p{margin-top:.75rem}.t{color:var(--j)}',
  'ul{list-style:none;padding:0}',
  '.e{border:1px solid var(--l);border-radius:12px;background:var(--c);margin-top:1.5rem}',
  '.e li{padding:.875rem 1rem}.e li+li{border-top:1px solid var(--l)}',
  '.r{display:flex;gap:1rem;justify-content:space-between;align-items:baseline}.r h3{min-width:0}',
  '.s{flex:none;color:var(--j);font-weight:600;font-size:.875rem}.s.up{color:var(--uw)}.s.failing{color:var(--f)}.s.down{color:var(--dw)}',
  '.m{display:flex;gap:1rem;justify-content:space-between;color:var(--j);font-size:.8125rem}',
  'svg{display:block;width:100%;height:24px;margin:.5rem 0 .25rem}',
  `path{fill:none;stroke-dasharray:${dashes}}`,
  thickness,
  '.n{stroke:var(--l)}.u{stroke:var(--u)}.f{stroke:var(--f)}.d{stroke:var(--d)}',
  '.x{color:var(--j);font-size:.875rem}',
  'section h3{margin-top:1rem}',
  '.i li{padding:.5rem 0}.i li+li{border-top:1px solid var(--l)}',
  '.sr{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}',
  'nav,footer{display:flex;flex-wrap:wrap;align-items:baseline;gap:.5rem 1.25rem;margin-top:1.5rem}',
  'footer{margin-top:3rem;color:var(--j);font-size:.8125rem}',
  'nav a,footer a{padding:.375rem 0}',
].join('')

/** What the page may load: this very style, and the picture in its head. */
export const stylePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  // For what looks for robots.txt from here, as Lighthouse does.
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
