/** The id of the bell's place in the header. */
export const bellPlace = 'bell'

let open: (() => void) | undefined

/** Called by the component that shows the search; returns a function that disconnects it. */
export function onSearchAsked(act: () => void) {
  open = act
  return () => {
    open = undefined
  }
}

/** Opens the search from elsewhere. */
export const openSearch = () => open?.()
