import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { nodeFlags } from '../../scripts/node-flags.mjs'

type Api = Record<string, (argument: never) => unknown>
type Question = { name: string; argument: unknown }

/** Answers calls from the parent process, one after the other, and signals that this process is ready. */
export function serve(api: Api): void {
  let last: Promise<unknown> = Promise.resolve()
  process.on('message', ({ name, argument }: Question) => {
    last = last.then(() => api[name]?.(argument as never)).then((answer) => process.send?.({ answer }))
  })
  // Don't outlive the parent process.
  process.on('disconnect', () => process.exit())
  process.send?.({ answer: 'ready' })
}

export type Started<A extends Api> = {
  ask<Name extends keyof A & string>(
    name: Name,
    argument?: Parameters<A[Name]>[0],
  ): Promise<Awaited<ReturnType<A[Name]>>>
  end(): Promise<void>
}

/** Runs a benchmark file as a process, to measure its CPU and memory, with the server's flags. Rejects if it dies. */
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
