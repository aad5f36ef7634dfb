import { Card } from '../../../ui/components/page.tsx'
import css from './badge.module.css'

/** What comes along with the picture. */
export const Headers = () => (
  <Card className={css.part} aria-label="Headers">
    <h2>Two headers tell more</h2>
    <p>Each answer carries the numbers for programs to read; a HEAD request reads them and does not count.</p>
    <dl className={css.headers}>
      <dt>
        <code>X-Views</code>
      </dt>
      <dd>Total view count, this view included.</dd>
      <dt>
        <code>X-Lastview</code>
      </dt>
      <dd>
        Timestamp of the last view, which is this one: <code>2026-01-31T12:00:00.000Z</code>
      </dd>
    </dl>
    <p>
      Any page may read them with <code>fetch</code>. The chart's numbers are at the same address with{' '}
      <code>/stats</code> behind the tag, as JSON.
    </p>
  </Card>
)

/** What the number means, and what it does not. */
export const Limits = () => (
  <Card className={css.part} aria-label="What the number means">
    <h2>What the number means</h2>
    <p>
      A view is one time that the picture was fetched, not one reader. On GitHub all pictures come through an image
      proxy: ToolBox sees the proxy and never who reads, with which browser, or on which page. It asks the proxy to keep
      no copy, so a look at the page usually counts as one; a reload counts again, a robot counts too, and what the
      proxy or a browser answers from memory is not seen at all.
    </p>
    <p>
      So the number shows how interest rises and falls, and proves nothing. Whoever knows a tag can make it grow. Stored
      are sums a tag, day and source; no address, no cookie, nothing about a reader.
    </p>
  </Card>
)
