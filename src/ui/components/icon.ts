import type { LucideProps } from 'lucide-react'
import { createElement, type SVGProps } from 'react'

type Shape = [tag: string, attributes: SVGProps<SVGElement>]

/** Creates an icon from Lucide's shapes; hidden from screen readers by default. */
export default function createIcon({ node }: { node: readonly Shape[] }) {
  return function Icon({ size = 24, ...rest }: LucideProps) {
    const box = { viewBox: '0 0 24 24', width: size, height: size }
    const line = {
      fill: 'none',
      stroke: 'currentColor',
      strokeWidth: 2,
      strokeLinecap: 'round',
      strokeLinejoin: 'round',
    }
    const shapes = node.map(([tag, attributes]) => createElement(tag, attributes))
    return createElement('svg', { ...box, ...line, 'aria-hidden': true, ...rest }, ...shapes)
  }
}
