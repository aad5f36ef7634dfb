import { createSignedInPerson, headersOf } from '../people.ts'
import type { Toolbox } from '../toolbox.ts'

export type FileType = 'application/json' | 'text/csv' | 'text/plain'

let count = 0

export const ownFile = (...entries: object[]) => ({ format: 'toolbox-user', version: 1, entries })

/** Creates a user without entries; `importFile` imports a file as this user. */
export async function createImportUser(box: Toolbox, roles = {}) {
  const { id, screen } = await createSignedInPerson(box, { username: `imports-${count++}`, roles })
  const headers = headersOf(screen.jar)
  const importFile = async (payload: string | Buffer, type: FileType = 'text/plain', query = '') => {
    const answer = await box.app.inject({
      method: 'POST',
      url: `/api/v1/user/import${query}`,
      headers: { ...headers, 'content-type': type },
      payload,
    })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }
  const list = async (tool = 'keepalive') =>
    ((await screen.get(`/api/v1/${tool}/list`)).body as Record<string, unknown>[]).toSorted((a, b) =>
      String(b.url).localeCompare(String(a.url)),
    )
  return { id, screen, importFile, list, headers }
}
