/** What is made with its first use: all that knows languages, for one, takes Node 8 MB. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
