/** The file as a whole can't be imported; the line says where that shows. */
export class Unreadable extends Error {
  readonly line: number
  constructor(line: number, why: string) {
    super(why)
    this.line = line
  }
}

/** Answers on which line a place in this text is; places are asked for in their order. */
export function lineCounter(text: string): (place: number) => number {
  let [line, counted] = [1, 0]
  return (place) => {
    if (place < counted) [line, counted] = [1, 0]
    for (let at = text.indexOf('\n', counted); at >= 0 && at < place; at = text.indexOf('\n', at + 1)) {
      line += 1
      counted = at + 1
    }
    return line
  }
}
