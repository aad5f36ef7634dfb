import packageJson from '../../../package.json' with { type: 'json' }
import type { PublicState } from '../../entries/badges/public-state.ts'
import { fontPath, logo } from '../../platform/http/shell-page.ts'
import { formatPercent } from '../../shared/count.ts'
import { awakeLabels, glyphs } from '../../shared/status-glyphs.ts'
import { days as inDays } from '../../shared/time.ts'
import { type Days, daysShown, maxPast, type PublicEntry, type PublicIncident, type PublicPage } from './load.ts'
import { height, kinds, script, step, style } from './style.ts'
import {
  escapeXml,
  formatClock,
  formatDay,
  formatDays,
  formatDuration,
  formatShortDay,
  linkTo,
  linkUrls,
  stateLabels,
  toParagraphs,
  verdictOf,
} from './text.ts'

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Ccircle cx='4' cy='4' r='4' fill='%23e0662c'/%3E%3C/svg%3E"

const documentOf = (title: string, head: string, body: string): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escapeXml(title)}</title>${head}<link rel="icon" href="${icon}">`,
    `<link rel="preload" href="${fontPath}" as="font" type="font/woff2" crossorigin><style>${style}</style><script>${script}</script></head>`,
    `<body class="p"><header class="b"><a href="/">${logo}Tool Box</a></header><main class="m">${body}</main></body></html>`,
  ].join('')

/** Complete without its script. `root` is the page's URL. */
export function htmlOf(page: PublicPage, root: string): string {
  const name = page.page === 1 ? page.title : `${page.title}, page ${page.page}`
  const head = [
    `<meta name="description" content="${escapeXml(`${page.title}: ${verdictOf(page).text}.`)}">`,
    `<link rel="alternate" type="application/atom+xml" title="${escapeXml(page.title)}" href="${escapeXml(`${root}/feed.xml`)}">`,
  ].join('')
  return documentOf(name, head, bodyOf(page, root))
}

export function bodyOf(page: PublicPage, root: string): string {
  const { state, text } = verdictOf(page)
  const isFirst = page.page === 1
  const feed = escapeXml(`${root}/feed.xml`)
  const updated = `Updated ${timeOf(page.at, `${formatDay(page.at)}, ${formatClock(page.at)} UTC`)}`
  return [
    `<div class="o"><h1 dir="auto">${escapeXml(page.title)}</h1><a class="k" href="${feed}">Subscribe</a></div>`,
    `<div class="v ${state}">${glyphOf(state)}<h2>${text}</h2><p class="x">${updated}</p></div>`,
    page.text === '' ? '' : `<div class="t">${toParagraphs(page.text)}</div>`,
    isFirst ? openIncidents(page) : '',
    services(page),
    page.pages > 1 ? pager(page, root) : '',
    isFirst && page.entries.length > 0 ? pastIncidents(page) : '',
    `<footer class="y"><span>Times are UTC</span><a href="${feed}">Feed</a><a href="${escapeXml(`${root}.json`)}">JSON</a><span>Made with ToolBox ${packageJson.version}</span></footer>`,
  ].join('')
}

export const missingHtml = (): string => {
  const text = '<h2>There is no status page at this address</h2><p class="x">Check the link, or ask its owner.</p>'
  const body = `<div class="o"><h1>Page not found</h1></div><div class="v">${glyphOf('new')}${text}</div>`
  return documentOf('Page not found', '', body)
}

const glyphOf = (state: PublicState) =>
  `<svg class="g" viewBox="0 0 12 12" aria-hidden="true"><path fill-rule="evenodd" d="${glyphs[glyphNames[state]]}"/></svg>`
const glyphNames = {
  up: 'ok',
  failing: 'failing',
  down: 'failing',
  paused: 'paused',
  new: 'new',
  unchecked: 'new',
} as const

function services({ entries }: PublicPage): string {
  if (entries.length === 0) return ''
  const [full, half] = [entries[0]?.days.length ?? 0, Math.floor((entries[0]?.days.length ?? 0) / 2)]
  const legend = [
    `<p class="l"><span class="full">${full} days ago</span><span class="half">${half} days ago</span>`,
    '<span><i class="some"></i>Some failures<i class="most"></i>Down</span><span>Today</span></p>',
  ].join('')
  return section(
    'Services',
    `<div class="c"><ul class="e" aria-label="Services">${entries.map(rowOf).join('')}</ul>${legend}</div>`,
  )
}

function rowOf({ name, state, awake, url, uptime, days }: PublicEntry): string {
  return [
    `<li><div class="r"><h3><bdi>${escapeXml(name)}</bdi><small>${hasChecks(days) ? `${percentOf(uptime)} uptime` : 'No checks yet'}</small></h3>`,
    `<p class="${state}">${glyphOf(state)}${stateLabels[state]}${awake ? ` · ${awakeLabels[awake]}` : ''}</p></div>`,
    url === undefined ? '' : `<p class="x">${linkTo(url)}</p>`,
    `${barsOf(days, uptime)}</li>`,
  ].join('')
}

const hasChecks = (days: Days) => days.some((share) => share !== null)
const percentOf = (uptime: number | null) => (uptime === null ? '–' : formatPercent(uptime))

const section = (title: string, body: string): string => `<section><h2>${title}</h2>${body}</section>`

function openIncidents({ at: now, open }: PublicPage): string {
  if (open.length === 0) return ''
  const rows = open.map(({ name, cause, note, notedAt, openedAt }) => {
    const when = (at: number) =>
      timeOf(at, `${formatDay(at) === formatDay(now) ? '' : `${formatShortDay(at, now)}, `}${formatClock(at)} UTC`)
    return [
      `<li><div class="q"><h3 dir="auto">${escapeXml(name)}</h3><b>Down for ${formatDuration(openedAt, now)}</b>`,
      `<span class="x">Since ${timeOf(openedAt, `${formatShortDay(openedAt, now)}, ${formatClock(openedAt)} UTC`)}</span></div>`,
      `<ol>${note === null ? '' : `<li>${when(notedAt ?? openedAt)}<span dir="auto">${linkUrls(note)}</span></li>`}`,
      `<li class="down">${when(openedAt)}<span>${cause}</span></li></ol></li>`,
    ].join('')
  })
  return section('Current incidents', `<ul class="c i">${rows.join('')}</ul>`)
}

/** The number of rows that are visible without opening the older ones. */
const fewDays = 6

/** Closed incidents next to the day on which they began, and the days without incidents. */
function pastIncidents(page: PublicPage): string {
  const rows = historyOf(page).map(({ from, to, incidents }) => {
    const days = formatDays(inDays(from), inDays(to), page.at)
    const items = incidents.map((incident) => pastRow(incident, page.at)).join('')
    return `<li><h3>${days}</h3><div>${items || '<p class="x">No incidents</p>'}</div></li>`
  })
  if (rows.length === 0) return ''
  const older = rows.splice(fewDays)
  const rest =
    older.length === 0
      ? ''
      : `<details><summary>Older incidents</summary><ul class="h">${older.join('')}</ul></details>`
  return section('Past incidents', `<ul class="h">${rows.join('')}</ul>${rest}`)
}

function pastRow({ name, cause, note, openedAt, closedAt }: PublicIncident, now: number): string {
  const endAt = closedAt ?? openedAt
  const end = formatDay(endAt) === formatDay(openedAt) ? '' : ` ${formatShortDay(endAt, now)},`
  const times = `${timeOf(openedAt, formatClock(openedAt))}–${end ? `${end} ` : ''}${timeOf(endAt, `${formatClock(endAt)} UTC`)}`
  return [
    `<div><p><strong dir="auto">${escapeXml(name)}</strong> was down for ${formatDuration(openedAt, endAt)}</p>`,
    `<p class="x">${times} · ${cause}</p>${note === null ? '' : `<p dir="auto">${linkUrls(note)}</p>`}</div>`,
  ].join('')
}

const timeOf = (at: number, text: string): string => `<time datetime="${new Date(at).toISOString()}">${text}</time>`

function pager({ page, pages }: PublicPage, root: string): string {
  const link = (to: number, label: string) =>
    `<a href="${escapeXml(to === 1 ? root : `${root}?page=${to}`)}">${label}</a>`
  const previous = page > 1 ? link(page - 1, 'Previous page') : ''
  const next = page < pages ? link(page + 1, 'Next page') : ''
  return `<nav aria-label="Pages">${previous}<span>Page ${page} of ${pages}</span>${next}</nav>`
}

/** Draws a bar per day, as one dashed line for each kind of day, so that ninety days take few bytes. */
function barsOf(days: Days, uptime: number | null): string {
  const paths = kinds.flatMap(({ name, tall, is }) => {
    const d = runsOf(days, is).map(([from, count]) => `M${from * step} ${height - tall / 2}h${count * step}`)
    return d.length > 0 ? [`<path class="${name}" d="${d.join('')}"/>`] : []
  })
  const label = labelOf(days, uptime)
  return `<div class="z"><svg class="w" viewBox="0 0 ${days.length * step - 1} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${paths.join('')}</svg></div>`
}

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
  if (!hasChecks(days)) return `No checks in the last ${days.length} days`
  const failed = days.filter((share) => share !== null && share < 1).length
  const failures = failed === 0 ? 'no failures' : `failures on ${failed} ${failed === 1 ? 'day' : 'days'}`
  return `Last ${days.length} days: ${percentOf(uptime)} uptime, ${failures}`
}

/** A day on which closed incidents began, or a stretch of days without incidents. Days are counted from 1970. */
type Stretch = { from: number; to: number; incidents: PublicIncident[] }

const dayNumber = (at: number) => Math.floor(at / inDays(1))

/** The days of a page, newest first, back to the first check and the oldest incident shown. */
function historyOf({ at, entries, open, past }: PublicPage): Stretch[] {
  const checked = entries.flatMap(({ days }) => days.findIndex((share) => share !== null)).filter((index) => index >= 0)
  if (checked.length === 0 && past.length === 0) return []
  const today = dayNumber(at)
  const began = past.map(({ openedAt }) => dayNumber(openedAt))
  const firstCheck = today - (daysShown - 1) + Math.min(daysShown - 1, ...checked)
  const first = past.length < maxPast ? Math.min(firstCheck, ...began) : Math.min(...began)
  const isBusy = (day: number) =>
    [...open, ...past].some(({ openedAt, closedAt }) => dayNumber(openedAt) <= day && day <= dayNumber(closedAt ?? at))
  const stretches: Stretch[] = []
  for (let day = today; day >= first; day -= 1) {
    const incidents = past.filter(({ openedAt }) => dayNumber(openedAt) === day)
    const last = stretches.at(-1)
    if (incidents.length > 0) stretches.push({ from: day, to: day, incidents })
    else if (isBusy(day)) continue
    else if (last?.from === day + 1 && last.incidents.length === 0) last.from = day
    else stretches.push({ from: day, to: day, incidents })
  }
  return stretches
}
