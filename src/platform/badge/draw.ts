import { createRequire } from 'node:module'
import { defaultStyle, type PlainStyle } from '../../shared/badge-look.ts'

type Drawn = {
  label: string
  /** Without a message, only the label is shown. */
  message: string
  style?: PlainStyle | undefined
  color?: string | undefined
  labelColor?: string | undefined
  /** A picture next to the label, as a data URL. */
  logo?: string | undefined
}

const require = createRequire(import.meta.url)
/** Loaded for the first badge: its widths of letters take 7 MB. */
const maker = () => require('badge-maker') as typeof import('badge-maker')

export const drawBadge = ({ label, message, style = defaultStyle, color, labelColor, logo }: Drawn): string =>
  maker().makeBadge({
    ...(message === '' ? { label: '', message: label } : { label, message }),
    style,
    ...(color && { color }),
    ...(labelColor && message !== '' && { labelColor }),
    ...(logo && { logoBase64: logo }),
  })

export const drawProblem = (label: string, words: string): string => drawBadge({ label, message: words, color: 'red' })
