/** Separates a form's own writes to the address, which may be late, from other changes, which replace its text. */
export function trackOwnWrites(first: string) {
  let onTheWay = [first]
  return {
    isLast: (text: string): boolean => text === onTheWay.at(-1),
    write: (text: string): void => void onTheWay.push(text),
    /** Call this with the text now in the address; `onOther` runs if the form didn't write that text. */
    follow(text: string, onOther: (text: string) => void): void {
      const place = onTheWay.indexOf(text)
      onTheWay = place < 0 ? [text] : onTheWay.slice(place)
      if (place < 0) onOther(text)
    },
  }
}
