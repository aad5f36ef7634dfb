import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { nodeFlags } from '../../scripts/node-flags.mjs'

type Api = Record<string, (argument: never) => unknown>
type Question = { name: string; argument: unknown }

/** Answers the questions of the process that forked this one, one after the other, and says that it is ready. */
export function serve(api: Api): void {
  let last: Promise<unknown> = Promise.resolve()
  process.on('message', ({ name, argument }: Question) => {
    last = last.then(() => api[name]?.(argument as never)).then((answer) => process.send?.({ answer }))
  })
  // An orphan would go on measuring nothing.
  process.on('disconnect', () => process.exit())
  process.send?.({ answer: 'ready' })
}

export type Started<A extends Api> = {
  ask<Name extends keyof A & string>(
    name: Name,
    argument?: Parameters<A[Name]>[0],
  ): Promise<Awaited<ReturnType<A[Name]>>>
  /** Resolves once it has ended. */
  end(): Promise<void>
}

/** Runs a file of the benchmarks as a process of its own, so that its time and memory are its own, by a Node that is started as the server's is. Throws when it dies. */
export async function start<A extends Api>(file: string, env: Record<string, string> = {}): Promise<Started<A>> {
  const child = fork(join(import.meta.dirname, '..', file), {
    env: { ...process.env, ...env },
    execArgv: nodeFlags,
    serialization: 'advanced',
  })
  await answerOf(child, file)
  return {
    ask(name, argument) {
      const answer = answerOf(child, file)
      child.send({ name, argument } satisfies Question)
      return answer as never
    },
    async end() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

function answerOf(child: ChildProcess, file: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const died = (code: number | null) => reject(new Error(`bench/${file} ended with code ${code}.`))
    child.once('exit', died)
    child.once('message', ({ answer }: { answer: unknown }) => {
      child.off('exit', died)
      resolve(answer)
    })
  })
}
