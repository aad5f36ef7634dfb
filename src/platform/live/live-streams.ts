import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { can } from '../../shared/user.ts'
import type { Caller } from '../http/access/caller.ts'
import type { Identify } from '../http/app.ts'
import type { LiveEvent } from './events.ts'

/** Keeps the events that have an id for users who are away, so that each sees them once. */
export type DeliverOnce = {
  /** Asks for what this user has missed; `write` answers whether there still was a screen to write to. */
  missed(userId: string, write: (events: readonly LiveEvent[]) => boolean): void
  /** These users have the event on a screen. */
  delivered(id: string, userIds: readonly string[]): void
}

type Stream = {
  caller: Caller
  request: FastifyRequest
  out: Readable
  /** The ids of events that it has. */
  told: Set<string>
  /** Ends when the caller is known anew; looks follow each other, so that the last one counts. */
  looked: Promise<void>
}

/** Bytes a client may leave unread before it is let go. */
const maxUnread = 262_144

const textOf = ({ type, data }: LiveEvent) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`

/** What a stream is opened with: a screen that asked who it is just before knows by it whether that still holds. */
export const rolesOf = ({ user }: Caller): string => `event: roles\ndata: ${JSON.stringify(user.roles)}\n\n`

/** The open event streams of this instance. */
export function liveStreams({ identify, deliverOnce }: { identify: Identify; deliverOnce: DeliverOnce | undefined }) {
  const streams = new Set<Stream>()
  const ofUser = (userId: string | undefined) => [...streams].filter(({ caller }) => caller.user.id === userId)

  function end(stream: Stream) {
    streams.delete(stream)
    stream.out.push(null)
  }

  function write(stream: Stream, text: string): boolean {
    if (!streams.has(stream)) return false
    if (stream.out.readableLength > maxUnread) {
      stream.request.raw.destroy()
      return false
    }
    stream.out.push(text)
    return true
  }

  /** What was claimed for a stream while it arrived by itself is written to it once. */
  function tell(stream: Stream, { id }: LiveEvent, text: string): boolean {
    if (id === undefined) return write(stream, text)
    const isThere = stream.told.has(id) || write(stream, text)
    if (isThere) stream.told.add(id)
    return isThere
  }

  /** A session that ended takes its stream with it; new roles count from here on. */
  function look(stream: Stream, text?: string) {
    stream.looked = stream.looked.then(async () => {
      if (!streams.has(stream)) return
      const caller = await identify(stream.request).catch((error: unknown) => {
        stream.request.log.warn({ err: error }, 'a stream could not be checked')
        return stream.caller
      })
      const had = rolesOf(stream.caller)
      if (caller) stream.caller = caller
      if (text !== undefined) write(stream, text)
      else if (rolesOf(stream.caller) !== had) write(stream, rolesOf(stream.caller))
      if (!caller) end(stream)
    })
  }

  return {
    count: (userId: string) => ofUser(userId).length,

    open(caller: Caller, request: FastifyRequest): Readable {
      const stream: Stream = {
        caller,
        request,
        out: new Readable({ read() {} }),
        told: new Set(),
        looked: Promise.resolve(),
      }
      streams.add(stream)
      stream.out.once('close', () => streams.delete(stream))
      if (isScreen(stream))
        deliverOnce?.missed(caller.user.id, (events) => events.every((event) => tell(stream, event, textOf(event))))
      return stream.out
    },

    hear(event: LiveEvent) {
      const text = textOf(event)
      if (event.type === 'access') {
        for (const stream of ofUser(event.to.userId)) look(stream, text)
        return
      }
      const reached = [...streams].filter(
        (stream) => concerns(event, stream.caller.user) && tell(stream, event, text) && isScreen(stream),
      )
      if (event.id === undefined || reached.length === 0) return
      deliverOnce?.delivered(event.id, [...new Set(reached.map(({ caller }) => caller.user.id))])
    },

    lookAgain() {
      for (const stream of streams) look(stream)
    },

    beat() {
      for (const stream of streams) write(stream, ': still here\n\n')
    },

    endAll() {
      for (const stream of streams) end(stream)
    },
  }
}

/** What a program hears by an API key, nobody has seen. */
const isScreen = ({ caller }: Stream) => caller.via.kind === 'session'

const concerns = ({ to }: LiveEvent, user: Caller['user']): boolean =>
  to.everyone === true || to.userId === user.id || (to.role !== undefined && can(user, ...to.role))
