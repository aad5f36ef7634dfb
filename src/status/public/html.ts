import { createHash } from 'node:crypto'
import packageJson from '../../../package.json' with { type: 'json' }
import type { PublicState } from '../../entries/badges/public-state.ts'
import { fontPath, logo } from '../../platform/http/shell-page.ts'
import { formatPercent } from '../../shared/count.ts'
import { awakeLabels, glyphs } from '../../shared/status-glyphs.ts'
import type { Days, PublicEntry, PublicIncident, PublicPage } from './load.ts'
import { escaped, formatClock, formatDay, formatDuration, linkTo, paragraphs, stateLabels, verdictOf } from './text.ts'

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Ccircle cx='4' cy='4' r='4' fill='%23e0662c'/%3E%3C/svg%3E"

const documentOf = (title: string, head: string, body: string): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escaped(title)}</title>${head}<link rel="icon" href="${icon}">`,
    `<link rel="preload" href="${fontPath}" as="font" type="font/woff2" crossorigin><style>${style}</style><script>${script}</script></head>`,
    `<body><header class="b"><a href="/">${logo}Tool Box</a></header><main>${body}</main></body></html>`,
  ].join('')

/** A status page as HTML, all of which is there without its script. `root` is its own address. */
export function htmlOf(page: PublicPage, root: string): string {
  const verdict = verdictOf(page)
  const name = page.page === 1 ? page.title : `${page.title}, page ${page.page}`
  const head = [
    `<meta name="description" content="${escaped(`${page.title}: ${verdict.text}.`)}">`,
    `<link rel="alternate" type="application/atom+xml" title="${escaped(page.title)}" href="${escaped(`${root}/feed.xml`)}">`,
  ].join('')
  const body = [
    `<header><h1 dir="auto">${escaped(page.title)}</h1><p class="v ${verdict.state}">${verdict.text}</p>`,
    page.text === '' ? '' : `<div class="t">${paragraphs(page.text)}</div>`,
    '</header>',
    page.page === 1 ? openIncidents(page.open) : '',
    page.entries.length === 0
      ? ''
      : `<h2 class="sr">Entries</h2><ul class="e">${page.entries.map(rowOf).join('')}</ul>`,
    page.pages > 1 ? pager(page, root) : '',
    page.page === 1 && page.entries.length > 0 ? pastIncidents(page.past) : '',
    `<footer><span>Times are UTC</span><a href="${escaped(`${root}/feed.xml`)}">Feed</a><a href="${escaped(`${root}.json`)}">JSON</a><span>Made with ToolBox ${packageJson.version}</span></footer>`,
  ].join('')
  return documentOf(name, head, body)
}

/** What a page that isn't there says. */
export const missingHtml = (): string =>
  documentOf('Page not found', '', '<h1>Page not found</h1><p class="v">There is no status page at this address.</p>')

const glyphOf = (state: PublicState) =>
  `<svg class="g" viewBox="0 0 12 12" aria-hidden="true"><path fill-rule="evenodd" d="${glyphs[shownAs[state]]}"/></svg>`
const shownAs = { up: 'ok', failing: 'failing', down: 'failing', paused: 'paused', new: 'new' } as const

function rowOf({ name, state, awake, url, uptime, days }: PublicEntry): string {
  return [
    `<li><div class="r"><h3 dir="auto">${escaped(name)}</h3><p class="s ${state}">${glyphOf(state)}${stateLabels[state]}${awake ? ` · ${awakeLabels[awake]}` : ''}</p></div>`,
    url === undefined ? '' : `<p class="x">${linkTo(url)}</p>`,
    barsOf(days, uptime),
    `<p class="m"><span>${days.length} days</span><span>${checked(days) ? `${percentOf(uptime)} uptime` : 'No checks yet'}</span></p></li>`,
  ].join('')
}

const checked = (days: Days) => days.some((share) => share !== null)
const percentOf = (uptime: number | null) => (uptime === null ? '–' : formatPercent(uptime))

const section = (title: string, body: string): string => `<section><h2>${title}</h2>${body}</section>`

function openIncidents(incidents: readonly PublicIncident[]): string {
  if (incidents.length === 0) return ''
  const rows = incidents.map(
    ({ name, cause, openedAt }) =>
      `<li><strong dir="auto">${escaped(name)}</strong>: ${cause}<br><span class="x">Since ${timeOf(openedAt, `${formatDay(openedAt)}, ${formatClock(openedAt)}`)}</span></li>`,
  )
  return section('Current incidents', `<ul class="i">${rows.join('')}</ul>`)
}

/** Those that are over, below the day on which they began. */
function pastIncidents(incidents: readonly PublicIncident[]): string {
  if (incidents.length === 0) return section('Past incidents', '<p class="x">None in the last 90 days.</p>')
  const byDay = Map.groupBy(incidents, ({ openedAt }) => formatDay(openedAt))
  const days = Array.from(byDay, ([day, ofDay]) => `<h3>${day}</h3><ul class="i">${ofDay.map(pastRow).join('')}</ul>`)
  return section('Past incidents', days.join(''))
}

function pastRow({ name, cause, openedAt, closedAt }: PublicIncident): string {
  const ended = closedAt ?? openedAt
  const end =
    formatDay(ended) === formatDay(openedAt) ? formatClock(ended) : `${formatDay(ended)}, ${formatClock(ended)}`
  const times = `${timeOf(openedAt, formatClock(openedAt))} to ${timeOf(ended, end)} (${formatDuration(openedAt, ended)})`
  return `<li><strong dir="auto">${escaped(name)}</strong>: ${cause}<br><span class="x">${times}</span></li>`
}

const timeOf = (at: number, text: string): string => `<time datetime="${new Date(at).toISOString()}">${text}</time>`

function pager({ page, pages }: PublicPage, root: string): string {
  const link = (to: number, label: string) =>
    `<a href="${escaped(to === 1 ? root : `${root}?page=${to}`)}">${label}</a>`
  const previous = page > 1 ? link(page - 1, 'Previous page') : ''
  const next = page < pages ? link(page + 1, 'Next page') : ''
  return `<nav aria-label="Pages">${previous}<span>Page ${page} of ${pages}</span>${next}</nav>`
}

/** A bar and the gap after it. */
const step = 4
const height = 24

/** The class, height and look of a day: nothing ran, nothing failed, less than half of it did, or more. */
const kinds = [
  { name: 'n', tall: 4, is: (share: number | null) => share === null },
  { name: 'u', tall: 17, is: (share: number | null) => share === 1 },
  { name: 'f', tall: 21, is: (share: number | null) => share !== null && share < 1 && share >= 0.5 },
  { name: 'd', tall: 24, is: (share: number | null) => share !== null && share < 0.5 },
] as const

/** How wide each bar and gap is, as a dash of the style sheet. */
const dashes = `${step - 1} 1`
/** How thick a stroke makes bars of each class. */
const thickness = kinds.map(({ name, tall }) => `.${name}{stroke-width:${tall}}`).join('')

/** A day a bar, in one dashed line for each kind of day, so that ninety days take a few bytes. */
function barsOf(days: Days, uptime: number | null): string {
  const paths = kinds.flatMap(({ name, tall, is }) => {
    const d = runsOf(days, is).map(([from, count]) => `M${from * step} ${height - tall / 2}h${count * step}`)
    return d.length > 0 ? [`<path class="${name}" d="${d.join('')}"/>`] : []
  })
  const label = labelOf(days, uptime)
  return `<svg viewBox="0 0 ${days.length * step - 1} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${paths.join('')}</svg>`
}

/** Where days of this kind begin, and how many they are in a row. */
function runsOf(days: Days, is: (share: number | null) => boolean): (readonly [number, number])[] {
  const runs: [number, number][] = []
  days.forEach((share, index) => {
    if (!is(share)) return
    const last = runs.at(-1)
    if (last && last[0] + last[1] === index) last[1] += 1
    else runs.push([index, 1])
  })
  return runs
}

function labelOf(days: Days, uptime: number | null): string {
  if (!checked(days)) return `No checks in the last ${days.length} days`
  const failed = days.filter((share) => share !== null && share < 1).length
  const failures = failed === 0 ? 'no failures' : `failures on ${failed} ${failed === 1 ? 'day' : 'days'}`
  return `Last ${days.length} days: ${percentOf(uptime)} uptime, ${failures}`
}

/** The colors of the app, as far as a status page has any. */
const light =
  '--b:#fbf9f6;--c:#fffefd;--l:#e5e0d9;--i:#211a15;--j:#645b53;--u:#169057;--f:#8a5a00;--d:#cb2b3e;--uw:#0b6f42;--dw:#b31a30'
const dark =
  '--b:#15110e;--c:#1c1814;--l:#332d28;--i:#f2eee9;--j:#a89f97;--u:#3fb47a;--f:#e0aa4e;--d:#f0606c;--uw:#6fd49d;--dw:#ff8f95'

/** Kept short: every visitor loads it, and nothing else. */
const style = [
  `@font-face{font-family:H;src:url(${fontPath}) format("woff2");font-weight:100 900;font-display:optional}`,
  `:root{color-scheme:light dark;--signal:#e0662c;--on-signal:#211a15;${light}}`,
  `@media(prefers-color-scheme:dark){:root:not(.light){${dark}}}.light{color-scheme:light}.dark{color-scheme:dark;${dark}}`,
  '*{box-sizing:border-box;margin:0}',
  'body{background:var(--b);color:var(--i);font:16px/1.5 H,system-ui,sans-serif;overflow-wrap:anywhere}',
  '.b{border-bottom:1px solid var(--l)}.b a{display:flex;align-items:center;gap:.5rem;height:4rem;max-width:100rem;margin:0 auto;padding:0 1.5rem;font-weight:720;font-size:1.0625rem;letter-spacing:-.03em;text-decoration:none}.b svg{width:28px;height:28px;margin:0}.b path{stroke-dasharray:none}',
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
  '.s{display:flex;gap:.375rem;align-items:center;flex:none;color:var(--j);font-weight:600;font-size:.875rem}.s.up{color:var(--uw)}.s.failing{color:var(--f)}.s.down{color:var(--dw)}',
  '.m{display:flex;gap:1rem;justify-content:space-between;color:var(--j);font-size:.8125rem}',
  'svg{display:block;width:100%;height:24px;margin:.5rem 0 .25rem}',
  `path{fill:none;stroke-dasharray:${dashes}}`,
  '.g{width:12px;height:12px;margin:0}.g path{fill:currentColor;stroke:none}',
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

/** Takes the theme that the reader has chosen in the app, if any. */
const script =
  "try{const t=localStorage.getItem('theme');if(t=='dark'||t=='light')document.documentElement.className=t}catch{}"

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** What the page may load: this very style and script, the app's font, and the picture in its head. */
export const stylePolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "font-src 'self'",
  'img-src data:',
  // For what looks for robots.txt from here, as Lighthouse does.
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
