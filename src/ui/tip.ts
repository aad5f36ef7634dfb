import type { PointerEvent } from 'react'

/** A tooltip built on pointer enter: most are never shown, and looking up the time zone alone takes a browser 15 ms. */
export const lazyTooltip = (words: () => string) => ({
  onPointerEnter: ({ currentTarget }: PointerEvent<HTMLElement>) => {
    currentTarget.title = words()
  },
})
