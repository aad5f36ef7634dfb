import { useState } from 'react'
import { Button } from '../../ui/components/button.tsx'

const inSight = 5

/** The first items of a long list, and the button that shows all; a list that exceeds them by only one is shown completely. */
export function useFold<Item>(items: readonly Item[]) {
  const [open, setOpen] = useState(false)
  const folded = !open && items.length > inSight + 1
  return {
    shown: folded ? items.slice(0, inSight) : items,
    more: folded && (
      <Button size="small" onClick={() => setOpen(true)}>
        Show all {items.length}
      </Button>
    ),
  }
}
