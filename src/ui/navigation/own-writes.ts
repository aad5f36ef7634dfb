/**
 * Tells what a form wrote into the address itself, which may arrive there late, from what others did, such as by going
 * back: only the latter replaces what is typed.
 */
export function ownWrites(first: string) {
  let onTheWay = [first]
  return {
    isLast: (text: string): boolean => text === onTheWay.at(-1),
    write: (text: string): void => void onTheWay.push(text),
    /** To be called with what the address has now; `onOther` takes over what others did. */
    follow(text: string, onOther: (text: string) => void): void {
      const place = onTheWay.indexOf(text)
      onTheWay = place < 0 ? [text] : onTheWay.slice(place)
      if (place < 0) onOther(text)
    },
  }
}
