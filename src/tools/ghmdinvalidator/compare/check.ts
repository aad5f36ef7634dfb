import pLimit from 'p-limit'
import { invalid } from '../../../shared/http-error.ts'
import { seconds } from '../../../shared/time.ts'
import type { Checked, Compared } from '../contract.ts'
import { discover, type Found } from '../page/discover.ts'
import { type PageContext, readPage } from '../page/page.ts'
import { isGithubPage, pageKind } from '../page/page-kind.ts'
import { type Comparer, type Comparison, comparer } from './compare.ts'

/** Whoever asks waits for the answer. */
const longest = seconds(20)
const concurrency = 4

/** How the images of a GitHub page, or one image, compare with GitHub's copies; nothing is purged or saved. */
export async function check(address: string, context: PageContext, ownerId: string): Promise<Checked> {
  const until = context.elapsed() + longest
  const compare = comparer(context, { visitor: { ownerId }, until })
  const { githubUrl, githubCamoUrl } = context.config
  const [ofProxy] = discover(address, githubCamoUrl)
  if (ofProxy) return { page: null, images: await compared([ofProxy], compare) }
  if (!isGithubPage(new URL(address), githubUrl))
    return { page: null, images: [await alone(address, context, compare)] }
  const page = await readPage(address, context)
  if (!page.read) throw invalid('url', `Couldn't read this page: ${page.note}.`)
  const { url, found, movedTo } = page
  return { page: { url, kind: pageKind(new URL(url)), movedTo }, images: await compared(found, compare) }
}

const compared = (found: readonly Found[], { compare }: Comparer): Promise<Compared[]> =>
  pLimit(concurrency).map(found, async (image) => toImage(image, await compare(image)))

const toImage = (image: Found | { camo: null; origin: string }, { state, cause }: Comparison): Compared => ({
  ...image,
  state,
  ...(cause === undefined ? {} : { cause }),
})

/** An image by its own address: compared if GitHub says where its copy is. */
async function alone(origin: string, context: PageContext, { compare, lookAtOrigin }: Comparer): Promise<Compared> {
  const found = await proxied(origin, context)
  if (found) return toImage(found, await compare(found))
  const unproxied = found === null ? 'shown as it is' : 'unknown'
  return toImage({ camo: null, origin }, await lookAtOrigin(origin, unproxied))
}

const timeout = seconds(5)

/** The URL under which GitHub's proxy serves this image: null if GitHub shows it without, undefined if GitHub doesn't say. */
async function proxied(origin: string, { config, outbound }: PageContext): Promise<Found | null | undefined> {
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
