import packageJson from '../../../package.json' with { type: 'json' }
import { percent } from '../../entries/badges/labels.ts'
import { barsOf } from './bars.ts'
import { escaped, linkTo, paragraphs } from './escaped.ts'
import { formatClock, formatDay, lasted, stateLabels, verdictOf } from './labels.ts'
import type { PublicEntry, PublicIncident, PublicPage } from './load.ts'
import { style } from './style.ts'

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Ccircle cx='4' cy='4' r='4' fill='%23e0662c'/%3E%3C/svg%3E"

const documentOf = (title: string, head: string, body: string): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escaped(title)}</title>${head}<link rel="icon" href="${icon}"><style>${style}</style></head>`,
    `<body><main>${body}</main></body></html>`,
  ].join('')

/** A status page as HTML without any script. `root` is its own address. */
export function htmlOf(page: PublicPage, root: string): string {
  const verdict = verdictOf(page)
  const name = page.page === 1 ? page.title : `${page.title}, page ${page.page}`
  const head = [
    `<meta name="description" content="${escaped(`${page.title}: ${verdict.words}.`)}">`,
    `<link rel="alternate" type="application/atom+xml" title="${escaped(page.title)}" href="${escaped(`${root}/feed.xml`)}">`,
  ].join('')
  const body = [
    `<header><h1 dir="auto">${escaped(page.title)}</h1><p class="v ${verdict.state}">${verdict.words}</p>`,
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
export const missingHtml: string = documentOf(
  'Page not found',
  '',
  '<h1>Page not found</h1><p class="v">There is no status page at this address.</p>',
)

function rowOf({ name, state, url, uptime, days }: PublicEntry): string {
  return [
    `<li><div class="r"><h3 dir="auto">${escaped(name)}</h3><p class="s ${state}">${stateLabels[state]}</p></div>`,
    url === undefined ? '' : `<p class="x">${linkTo(url)}</p>`,
    barsOf(days, uptime),
    `<p class="m"><span>${days.length} days</span><span>${uptime === null ? 'No checks yet' : `${percent(uptime)} uptime`}</span></p></li>`,
  ].join('')
}

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
  const times = `${timeOf(openedAt, formatClock(openedAt))} to ${timeOf(ended, end)} (${lasted(openedAt, ended)})`
  return `<li><strong dir="auto">${escaped(name)}</strong>: ${cause}<br><span class="x">${times}</span></li>`
}

const timeOf = (at: number, words: string): string => `<time datetime="${new Date(at).toISOString()}">${words}</time>`

function pager({ page, pages }: PublicPage, root: string): string {
  const link = (to: number, words: string) =>
    `<a href="${escaped(to === 1 ? root : `${root}?page=${to}`)}">${words}</a>`
  const previous = page > 1 ? link(page - 1, 'Previous page') : ''
  const next = page < pages ? link(page + 1, 'Next page') : ''
  return `<nav aria-label="Pages">${previous}<span>Page ${page} of ${pages}</span>${next}</nav>`
}
