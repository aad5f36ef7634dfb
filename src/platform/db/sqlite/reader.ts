import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Answer, Question } from './reader-thread.ts'

const database = new DatabaseSync(String(workerData), { readOnly: true, timeout: 20 })

parentPort?.on('message', ({ id, text, values }: Question) => parentPort?.postMessage(answer(id, text, values)))

function answer(id: number, text: string, values: readonly unknown[]): Answer {
  try {
    return { id, rows: database.prepare(text).all(...(values as SQLInputValue[])) }
  } catch (error) {
    const { message, code, errcode } = Object(error)
    return { id, failure: { message, code, errcode } }
  }
}
