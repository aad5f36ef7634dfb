import { createRequire } from 'node:module'
import { defaultStyle, type Style } from '../../shared/badge-look.ts'
import { type Logo, logoFor } from './logos.ts'

type Drawn = {
  label: string
  /** If empty, only the label is shown. */
  message: string
  style?: Style | undefined
  color?: string | undefined
  labelColor?: string | undefined
  logo?: Logo | undefined
}

const require = createRequire(import.meta.url)
/** Loaded for the first badge, because its table of letter widths takes 7 MB. */
const maker = () => require('badge-maker') as typeof import('badge-maker')

/** Draws a badge without a sparkline, which `withSparkline` can add. */
export const drawBadge = ({ label, message, style = defaultStyle, color, labelColor, logo }: Drawn): string =>
  maker().makeBadge({
    ...(message === '' ? { label: '', message: label } : { label, message }),
    style: style === 'sparkline' ? defaultStyle : style,
    ...(color && { color }),
    ...(labelColor && message !== '' && { labelColor }),
    ...(logo && { logoBase64: logoFor(logo, style) }),
  })

export const drawProblem = (label: string, words: string): string => drawBadge({ label, message: words, color: 'red' })
