/** Text as HTML and XML take it, also between double quotes. What XML has no characters for is left out. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const address = /https?:\/\/[^\s<>"'`]+[^\s<>"'`.,:;!?)\]}]/g
/** Leads there without telling where from, and without vouching for it. */
const rel = 'rel="nofollow noopener noreferrer"'

export const linkTo = (url: string): string =>
  `<a href="${escaped(url)}" ${rel}>${escaped(url.replace(/^https?:\/\//, '').replace(/\/$/, ''))}</a>`

/** Plain text as paragraphs, in which web addresses are links. */
export function paragraphs(text: string): string {
  const parts = text.split(/\r?\n\s*\n/).filter((part) => part.trim() !== '')
  return parts.map((part) => `<p dir="auto">${linked(part).replaceAll(/\r?\n/g, '<br>')}</p>`).join('')
}

function linked(text: string): string {
  let html = ''
  let from = 0
  for (const { 0: url, index } of text.matchAll(address)) {
    html += escaped(text.slice(from, index)) + (URL.canParse(url) ? linkTo(url) : escaped(url))
    from = index + url.length
  }
  return html + escaped(text.slice(from))
}
