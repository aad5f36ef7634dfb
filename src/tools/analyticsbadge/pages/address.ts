import { badgePath, defaultStyle, isColor, type Style } from '../terms.ts'

/** Everything that can be chosen about a badge; texts that are empty are not given. */
export type Choice = {
  tag: string
  label: string
  style: Style
  color: string
  labelColor: string
  abbreviated: boolean
}
/** What a badge says when nothing else is asked for. */
export const defaultLabel = 'views'
export const demo: Choice = {
  tag: 'demo',
  label: 'Demo',
  style: defaultStyle,
  color: '',
  labelColor: '',
  abbreviated: false,
}

/** Where this badge is, without scheme and host; only what differs from the usual is spelt out. */
export function pathOf({ tag, label, style, color, labelColor, abbreviated }: Choice): string {
  const asked = [
    ['text', label],
    ['style', style === defaultStyle ? '' : style],
    ['color', isColor(color) ? color : ''],
    ['labelColor', isColor(labelColor) ? labelColor : ''],
    ['abbreviated', abbreviated ? 'true' : ''],
  ] as const
  const query = asked.filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${badgePath}${tag}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

/** The ways to put this image into a text. */
export const snippetsOf = (url: string, label: string) => {
  const alt = label.trim() || defaultLabel
  return [
    { title: 'Markdown', text: `![${alt}](${url})` },
    { title: 'HTML', text: `<img src="${url.replaceAll('&', '&amp;')}" alt="${alt}">` },
    { title: 'reStructuredText', text: `.. image:: ${url}\n   :alt: ${alt}` },
  ]
}
