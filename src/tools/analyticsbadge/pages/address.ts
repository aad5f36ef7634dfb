import { defaultStyle, isColor, isLogo, type Style, styles } from '../../../shared/badge-look.ts'
import { badgePath, defaultLabel, demoTag, type Period, periods } from '../terms.ts'

/** The options of a badge; an empty string stands for the default. */
export type Choice = {
  tag: string
  label: string
  style: Style
  period: Period | ''
  color: string
  labelColor: string
  abbreviated: boolean
  logo: string
  /** The label's color on dark pages. */
  dark: string
}
const defaultChoice: Choice = {
  tag: demoTag,
  label: '',
  style: defaultStyle,
  period: '',
  color: '',
  labelColor: '',
  abbreviated: false,
  logo: '',
  dark: '',
}
export const demo: Choice = { ...defaultChoice, label: 'Demo' }
export const defaultDark = '30363d'

/** The query parameters of a badge, without those that equal the default. */
function queryOf({ label, style, period, color, labelColor, abbreviated, logo }: Choice) {
  const parameters = [
    ['text', label],
    ['style', style === defaultStyle ? '' : style],
    ['period', period],
    ['color', isColor(color) ? color : ''],
    ['labelColor', isColor(labelColor) ? labelColor : ''],
    ['abbreviated', abbreviated ? 'true' : ''],
    ['logo', isLogo(logo) ? logo : ''],
  ] as const
  return parameters.filter(([, value]) => value)
}

export function pathOf(choice: Choice): string {
  const query = queryOf(choice).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${badgePath}${choice.tag}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

export const darkPathOf = (choice: Choice): string =>
  pathOf({ ...choice, labelColor: isColor(choice.dark) ? choice.dark : defaultDark })

export type Search = Record<string, string | undefined>

/** Encodes a choice as parameters of the page's own URL, without the tag and label if they are the demo's. */
export function searchOf(choice: Choice): Search {
  const search: Search = Object.fromEntries(queryOf(choice))
  if (isColor(choice.dark)) search.dark = choice.dark
  const isDemo = choice.tag === demo.tag && choice.label === demo.label
  if (isDemo) delete search.text
  return isDemo ? search : { tag: choice.tag, ...search }
}

const oneOf = <Value extends string, Else>(values: readonly Value[], text: string | undefined, other: Else) =>
  values.find((value) => value === text) ?? other
const colorIn = (text = '') => (isColor(text) ? text : '')

/** Decodes a choice from the page's URL; invalid values become the defaults. */
export function choiceOf(search: Search): Choice {
  const { tag, text } = search
  const named = tag !== undefined && /^[A-Za-z0-9_]{1,64}$/.test(tag)
  const label = text !== undefined && /^[A-Za-z0-9_ -]{1,64}$/.test(text) ? text : ''
  return {
    ...(named ? { ...defaultChoice, tag, label } : demo),
    style: oneOf(styles, search.style, defaultStyle),
    period: oneOf(periods, search.period, ''),
    color: colorIn(search.color),
    labelColor: colorIn(search.labelColor),
    abbreviated: search.abbreviated === 'true',
    logo: isLogo(search.logo ?? '') ? (search.logo ?? '') : '',
    dark: colorIn(search.dark),
  }
}

const escapeAmpersands = (url: string) => url.replaceAll('&', '&amp;')

/** Snippets that embed the badge; `dark` is its URL for dark pages. */
export function snippetsOf({ url, dark, label }: { url: string; dark: string; label: string }) {
  const alt = label.trim() || defaultLabel
  const image = `<img src="${escapeAmpersands(url)}" alt="${alt}">`
  return [
    { title: 'Markdown', text: `![${alt}](${url})` },
    { title: 'HTML', text: image },
    { title: 'reStructuredText', text: `.. image:: ${url}\n   :alt: ${alt}` },
    { title: 'AsciiDoc', text: `image:${url}[${alt}]` },
    {
      title: 'Light and dark',
      text: `<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="${escapeAmpersands(dark)}">\n  ${image}\n</picture>`,
    },
  ]
}
