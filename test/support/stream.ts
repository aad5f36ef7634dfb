/** Listens to a server's live events and collects them. `within` also requests events of the last `within` ms. */
export async function openEventStream(url: string, headers: Record<string, string>, within?: number) {
  const aborting = new AbortController()
  const answer = await fetch(`${url}/api/v1/events${within === undefined ? '' : `?within=${within}`}`, {
    headers,
    signal: aborting.signal,
  })
  const received = { text: '', ended: false }
  const reading = (async () => {
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) received.text += chunk
  })().catch(() => {})
  void reading.then(() => {
    received.ended = true
  })
  return {
    answer,
    received,
    eventsOfType: (type: string) =>
      [...received.text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)]
        .filter(([, name]) => name === type)
        .map(([, , data]) => JSON.parse(data ?? '')),
    /** Closes the connection and resolves once reading has ended. */
    async close() {
      aborting.abort()
      await reading
    },
  }
}
