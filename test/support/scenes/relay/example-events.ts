import { type HerokuEvent, parseEvent } from '../../../../src/tools/herokudiscordwebhook/event/event.ts'
import { examples } from '../../../../src/tools/herokudiscordwebhook/event/examples.ts'

/** The payload of an example, with some fields of the envelope replaced. */
export function payloadOf(name: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  const example = examples.find((one) => one.name === name)
  if (!example) throw new Error(`no example ${name}`)
  return { ...example.payload, ...changes }
}

export function parsed(payload: unknown): HerokuEvent {
  const event = parseEvent(payload)
  if ('problem' in event) throw new Error(event.problem)
  return event
}

export const eventOf = (name: string, changes: Partial<HerokuEvent> = {}): HerokuEvent => ({
  ...parsed(payloadOf(name)),
  ...changes,
})

/** The event of an example, with some fields of its data replaced. */
export function withData(name: string, fields: Record<string, unknown>): HerokuEvent {
  const { data } = eventOf(name)
  return parsed(payloadOf(name, { data: { ...data, ...fields } }))
}
