import { Card } from '../../../ui/components/page/page.tsx'
import css from './badge.module.css'

export const Headers = () => (
  <Card className={css.part} aria-label="Headers">
    <h2>Response headers</h2>
    <p>
      Every response includes these headers for scripts to read. A HEAD request returns them without counting a view.
    </p>
    <dl className={css.headers}>
      <dt>
        <code>X-Views</code>
      </dt>
      <dd>Total view count, including this view.</dd>
      <dt>
        <code>X-Lastview</code>
      </dt>
      <dd>
        Timestamp of the last view (this one): <code>2026-01-31T12:00:00.000Z</code>
      </dd>
    </dl>
    <p>
      Any web page can read them with <code>fetch</code>. To get the chart's data as JSON, add <code>/stats</code> after
      the tag; for the endpoint badge of shields.io, add <code>/shields</code>.
    </p>
  </Card>
)

export const Limits = () => (
  <Card className={css.part} aria-label="What the number means">
    <h2>What the number means</h2>
    <p>
      A view is one fetch of the image, not one reader. GitHub loads all images through a proxy, so ToolBox never sees
      who is reading, in which browser or on which page. It asks the proxy not to keep a copy, so opening the page
      usually counts once. Reloads and bots count too; images served from a cache are not counted.
    </p>
    <p>
      Treat it as a trend, not an exact audience. Anyone who knows the tag can raise its count. We store only totals per
      tag, day and source: no IP addresses, no cookies, nothing about readers.
    </p>
  </Card>
)
