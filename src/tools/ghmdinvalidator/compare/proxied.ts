import { seconds } from '../../../shared/time.ts'
import { discover, type Found } from '../page/discover.ts'
import type { PageContext } from '../page/page.ts'

const timeout = seconds(5)

/** The URL under which GitHub's proxy serves this image: null if GitHub shows it without, undefined if GitHub doesn't say. */
export async function proxied(origin: string, { config, outbound }: PageContext): Promise<Found | null | undefined> {
  const { githubApiUrl, githubToken, githubCamoUrl } = config
  // Only GitHub can sign such a URL, and it does so for whatever it renders.
  const text = `![image](<${new URL(origin).href.replace(/[<>\\]/g, encodeURIComponent)}>)`
  const answer = await outbound.request(`${githubApiUrl}/markdown`, {
    method: 'POST',
    headers: {
      accept: 'text/html',
      'content-type': 'application/json',
      ...(githubToken ? { authorization: `Bearer ${githubToken}` } : {}),
    },
    body: JSON.stringify({ text, mode: 'gfm' }),
    timeout,
    maxBytes: 100_000,
  })
  if (!answer.answered || answer.status !== 200) return undefined
  const html = new TextDecoder().decode(answer.body)
  const [found] = discover(html, githubCamoUrl)
  if (found) return found
  return /<img\s/i.test(html) ? null : undefined
}
