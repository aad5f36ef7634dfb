import { createHash } from 'node:crypto'
import { fontPath } from '../../platform/http/shell-page.ts'

export const step = 4
export const height = 20

/** The class and bar height of each kind of day: no runs, no failures, at most half of the runs failed, or more. */
export const kinds = [
  { name: 'n', tall: 3, is: (share: number | null) => share === null },
  { name: 'u', tall: 14, is: (share: number | null) => share === 1 },
  { name: 'f', tall: 17, is: (share: number | null) => share !== null && share < 1 && share >= 0.5 },
  { name: 'd', tall: 20, is: (share: number | null) => share !== null && share < 0.5 },
] as const

const thickness = kinds.map(({ name, tall }) => `.${name}{stroke-width:${tall}}`).join('')

/**
 * The app's colors of background, cards, sunken areas, lines, three inks, and the bars, text, washes and edges of up,
 * failing and down. Amber bars are darker than the app's, to stand out from the background.
 */
const light =
  '--b:#fbf9f5;--c:#fffefd;--s:#f5f2ed;--l:#e4e0da;--k:#cdc8c0;--i:#211a16;--j:#584f49;--m:#706760;--u:#259f56;--f:#c8800d;--d:#dd3241;--ui:#036d38;--uw:#dff8e6;--ul:#aae0bc;--fi:#8a5600;--fw:#fff3d4;--fl:#f0d08b;--di:#b81a2b;--dw:#ffebeb;--dl:#ffc2c3;--signal:#f66414;--on-signal:#1f0f08'
const dark =
  '--b:#14100e;--c:#1c1815;--s:#0f0c0a;--l:#302a27;--k:#49423d;--i:#f2efea;--j:#bab5ae;--m:#9b948c;--u:#3ec478;--f:#f1b638;--d:#f14851;--ui:#6ed797;--uw:#142c1f;--ul:#1f5436;--fi:#f2c867;--fw:#352810;--fl:#674a12;--di:#fb8c8c;--dw:#3f1a1b;--dl:#813236;--signal:#fb7425;--on-signal:#1c0d06'

/** For everything inside `.p`, which the owner's preview shares. Kept short, as every visitor loads it. */
export const pageStyle = [
  `:root,.light{color-scheme:light;${light}}`,
  `@media screen and (prefers-color-scheme:dark){:root:not(.light){color-scheme:dark;${dark}}}@media screen{.dark{color-scheme:dark;${dark}}}`,
  '*{box-sizing:border-box;margin:0}',
  '.p{background:var(--b);color:var(--i);font:.875rem/1.55 H,system-ui,sans-serif;overflow-wrap:anywhere}',
  '.m{max-width:52rem;margin:0 auto;padding:2.25rem 1rem 2rem;container-type:inline-size}',
  '.o{display:flex;align-items:center;gap:.75rem 1rem;margin-bottom:1.25rem}.o h1{flex:1;min-width:0}',
  'h1{font-size:1.375rem;line-height:1.2;letter-spacing:-.022em}',
  'h2{margin:2rem 0 .75rem;font-size:1rem;line-height:1.3;letter-spacing:-.015em}',
  'h3{font-size:.875rem;font-weight:640;line-height:1.4}',
  'a{color:inherit;text-underline-offset:.2em}',
  ':focus-visible{outline:2px solid;outline-offset:2px;border-radius:3px}',
  'ul,ol{padding:0;list-style:none}',
  'svg{display:block}',
  'time{white-space:nowrap}',
  '.x{color:var(--j);font-size:.8125rem}',
  '.k{flex:none;padding:.375rem .75rem;border-radius:8px;background:var(--c);box-shadow:0 0 0 1px var(--k);font-size:.8125rem;font-weight:580;text-decoration:none}.k:hover{box-shadow:0 0 0 1px var(--m)}',
  '.v{display:grid;grid-template-columns:auto minmax(0,1fr) auto;align-items:center;gap:.25rem .875rem;padding:1rem 1.25rem;border:1px solid var(--e,var(--l));border-radius:12px;background:var(--w,var(--c))}',
  '.v h2{margin:0;font-size:1.25rem;color:var(--t,var(--i))}.v svg{width:1.5rem;height:1.5rem;color:var(--g,var(--m))}.v .x{font-size:.75rem}',
  '.up{--t:var(--ui);--g:var(--u);--w:var(--uw);--e:var(--ul)}.failing{--t:var(--fi);--g:var(--f);--w:var(--fw);--e:var(--fl)}.down{--t:var(--di);--g:var(--d);--w:var(--dw);--e:var(--dl)}',
  '.t{margin-top:1rem;color:var(--j)}.t p+p{margin-top:.75rem}',
  '.c{border-radius:12px;background:var(--c);box-shadow:0 0 0 1px var(--l),0 1px 2px #0000000d}.c li{min-width:0}.i>li,.e>li{padding:.875rem 1.25rem}.i>li+li,.e>li+li{border-top:1px solid var(--l)}',
  '.q{display:flex;flex-wrap:wrap;align-items:baseline;gap:.125rem .75rem}.q h3{min-width:0;font-size:1rem}.q b{font-size:.8125rem;font-weight:580;color:var(--di)}.q .x{margin-left:auto}',
  // In each line, the first column is as wide as the widest time.
  '.i ol{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.5rem 1.5rem;margin-top:.75rem;font-size:.8125rem}.i ol li{display:grid;grid-column:1/-1;grid-template-columns:subgrid;position:relative;padding-left:1.375rem}.i time{color:var(--m)}',
  '.i ol li:before{content:"";position:absolute;left:0;top:.375rem;width:.5rem;height:.5rem;border-radius:50%;background:var(--m)}.i ol .down:before{background:var(--d)}.i ol li:not(:last-child):after{content:"";position:absolute;top:1.125rem;bottom:-.625rem;left:3px;width:2px;background:var(--k)}',
  '.r{display:flex;gap:1rem;justify-content:space-between;align-items:baseline}.r h3{min-width:0}.r small{margin-left:.625rem;font-size:.75rem;font-weight:400;color:var(--m)}.r p{display:flex;flex:none;gap:.4375rem;align-items:center;font-size:.8125rem;font-weight:580;color:var(--t,var(--j))}.r svg{width:12px;height:12px;color:var(--g,var(--m))}',
  `.w{width:100%;height:${height}px;margin-top:.5rem}.w path{fill:none;stroke-dasharray:${step - 1} 1}.g path{fill:currentColor}`,
  thickness,
  '.n{stroke:var(--k)}.u{stroke:var(--u)}.f{stroke:var(--f)}.d{stroke:var(--d)}',
  '.l{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;padding:.5rem 1.25rem;border-top:1px solid var(--l);border-radius:0 0 12px 12px;background:var(--s);color:var(--m);font-size:.75rem}.l i{display:inline-block;width:3px;height:.75rem;margin:0 .375rem -1px .75rem;border-radius:1px;forced-color-adjust:none}.l .some{background:var(--f)}.l .most{background:var(--d)}.half{display:none}',
  '.h li{display:grid;grid-template-columns:9rem minmax(0,1fr);gap:0 1rem;padding:.75rem 0;border-top:1px solid var(--l);font-size:.8125rem}.h h3{font-size:.8125rem;font-weight:400;color:var(--m)}.h p+p{margin-top:.125rem}.h div+div{margin-top:.625rem}.h .x{color:var(--m)}',
  'summary{padding:.75rem 0;border-top:1px solid var(--l);font-size:.8125rem;cursor:pointer}details[open] summary{border-bottom:0}',
  'nav,.y{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1.5rem;margin-top:1.5rem}',
  '.y{margin-top:2.5rem;padding-top:.75rem;border-top:1px solid var(--l);color:var(--m);font-size:.75rem}.y span:last-child{margin-left:auto}',
  'nav a,.y a{padding:.375rem 0}',
  '.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}',
  '@container(max-width:40rem){.v{grid-template-columns:auto minmax(0,1fr);padding:1rem}.v .x{grid-column:2}.q .x{flex-basis:100%;margin:0}.i>li,.e>li,.l{padding-inline:1rem}.i ol{display:block}.i ol li{display:block}.i ol li+li{margin-top:.5rem}.i ol li span{display:block}.h li{display:block}.y span:last-child{margin:0;flex-basis:100%}}',
  // Ninety bars would be too thin, so show only the newer half.
  '@container(max-width:30rem){.z{overflow:hidden}.w{width:200%;margin-left:-100%}.full{display:none}.half{display:inline}.r small{display:block;margin:0}}',
  '@media print{.b,.k,nav,.y{display:none}.p{background:#fff}*{print-color-adjust:exact}li,.v{break-inside:avoid}details::details-content{display:block;content-visibility:visible}}',
].join('')

export const style = [
  `@font-face{font-family:H;src:url(${fontPath}) format("woff2");font-weight:100 900;font-display:optional}`,
  pageStyle,
  '.b{border-bottom:1px solid var(--l)}.b a{display:flex;align-items:center;gap:.5rem;height:4rem;max-width:100rem;margin:0 auto;padding:0 1.5rem;font-weight:720;font-size:1.0625rem;letter-spacing:-.03em;text-decoration:none}',
].join('')

/** Applies the theme that the visitor has chosen in the app, if any. */
export const script =
  "try{const t=localStorage.getItem('theme');if(t=='dark'||t=='light')document.documentElement.className=t}catch{}"

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Allows the page only this exact style and script, the app's font, and the icon in its head. */
export const stylePolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "font-src 'self'",
  'img-src data:',
  // For tools that fetch robots.txt from the page, such as Lighthouse.
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
