/** A screen that listens to the live events of the server at this address, and what it has heard so far. `within` asks for those of so many milliseconds before. */
export async function listen(url: string, headers: Record<string, string>, within?: number) {
  const aborting = new AbortController()
  const answer = await fetch(`${url}/api/v1/events${within === undefined ? '' : `?within=${within}`}`, {
    headers,
    signal: aborting.signal,
  })
  const seen = { text: '', ended: false }
  const reading = (async () => {
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) seen.text += chunk
  })().catch(() => {})
  void reading.then(() => {
    seen.ended = true
  })
  return {
    answer,
    seen,
    /** The data of every event of this type, in order. */
    heard: (type: string) =>
      [...seen.text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)]
        .filter(([, name]) => name === type)
        .map(([, , data]) => JSON.parse(data ?? '')),
    /** Resolves when the server may be thought to have noticed. */
    async leave() {
      aborting.abort()
      await reading
    },
  }
}
