import { badgePath, defaultLabel, defaultStyle, isColor, type Style } from '../terms.ts'

/** The options of a badge; an empty text is the default. */
export type Choice = {
  tag: string
  label: string
  style: Style
  color: string
  labelColor: string
  abbreviated: boolean
}
export const demo: Choice = {
  tag: 'demo',
  label: 'Demo',
  style: defaultStyle,
  color: '',
  labelColor: '',
  abbreviated: false,
}

/** The path and query of a badge; only what differs from the default is in it. */
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

/** Snippets that embed the badge. */
export const snippetsOf = (url: string, label: string) => {
  const alt = label.trim() || defaultLabel
  return [
    { title: 'Markdown', text: `![${alt}](${url})` },
    { title: 'HTML', text: `<img src="${url.replaceAll('&', '&amp;')}" alt="${alt}">` },
    { title: 'reStructuredText', text: `.. image:: ${url}\n   :alt: ${alt}` },
  ]
}
