import type { PointerEvent } from 'react'

/**
 * A tooltip that is worded when the pointer comes: nobody points at most of what is on screen, and for the time zone alone
 * a browser takes 15 ms.
 */
export const tipped = (words: () => string) => ({
  onPointerEnter: ({ currentTarget }: PointerEvent<HTMLElement>) => {
    currentTarget.title = words()
  },
})
