import fc from 'fast-check'
import { type FuzzAnswer, whyWrong } from './judge.ts'
import type { Operation } from './operations.ts'
import { type FuzzRequest, requestsOf } from './requests.ts'
import type { Known } from './values.ts'

/** Sends `count` requests, one after another. Throws with the smallest one that gets a wrong response. */
export async function fuzz<Who extends string>(options: {
  operations: readonly Operation[]
  callers: readonly Who[]
  knownValues: Known
  send: (request: FuzzRequest<Who>) => Promise<FuzzAnswer>
  count: number
  seed: number
  onAnswer?: (request: FuzzRequest<Who>, answer: FuzzAnswer) => void
}): Promise<void> {
  const { operations, callers, knownValues, send, count, seed, onAnswer } = options
  const requests = requestsOf(operations, callers, knownValues)
  const property = fc.asyncProperty(requests, async (request) => {
    const answer = await send(request)
    onAnswer?.(request, answer)
    const why = whyWrong(request.operation, answer)
    if (why !== undefined) throw new Error(`${inWords(request)}\n${why}`)
  })
  const { failed, errorInstance } = await fc.check(property, { numRuns: count, seed })
  if (failed) throw new Error(`seed ${seed}: ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`)
}

function inWords({ operation: { method }, who, url, type, body }: FuzzRequest): string {
  const sent = body ? ` | ${type}: ${body.toString().slice(0, 500)}` : ''
  return `${who}: ${method} ${url.slice(0, 500)}${sent}`
}
