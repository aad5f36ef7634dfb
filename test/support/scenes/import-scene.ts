import { signedIn } from '../people.ts'
import type { Toolbox } from '../toolbox.ts'

export type FileType = 'application/json' | 'text/csv' | 'text/plain'

let count = 0

/** Somebody without entries, and how they import a file. */
export async function newcomer(box: Toolbox, roles = {}) {
  const { id, screen, session } = await signedIn(box, { username: `imports-${count++}`, roles })
  const xsrf = screen.jar.get('XSRF-TOKEN') ?? ''
  const bring = async (payload: string | Buffer, type: FileType = 'text/plain', query = '') => {
    const answer = await box.app.inject({
      method: 'POST',
      url: `/api/v1/user/import${query}`,
      headers: { 'content-type': type, 'x-xsrf-token': xsrf },
      cookies: { ...session.cookie, 'XSRF-TOKEN': xsrf },
      payload,
    })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }
  const list = async (tool = 'keepalive') =>
    ((await screen.get(`/api/v1/${tool}/list`)).body as Record<string, unknown>[]).toSorted((a, b) =>
      String(b.url).localeCompare(String(a.url)),
    )
  const cookies = Object.entries({ ...session.cookie, 'XSRF-TOKEN': xsrf }).map((pair) => pair.join('='))
  return { id, screen, bring, list, headers: { cookie: cookies.join('; '), 'x-xsrf-token': xsrf } }
}
