import { AboutCard } from '../../../entries/pages/aside/about-card.tsx'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { formatInterval } from '../../../ui/format-time.ts'
import { ghmdinvalidatorNames } from '../terms.ts'
import css from './about.module.css'
import { CheckLink } from './check/check-link.tsx'

export function About() {
  const defaultInterval = useDefaultInterval(ghmdinvalidatorNames.id)
  return (
    <AboutCard>
      <Picture />
      <h2>Readme images that are always fresh</h2>
      <p>
        GitHub serves readme images through a proxy that caches them. A badge, chart or screenshot may have changed long
        ago while visitors still see the old one. Register a page here and ToolBox asks the proxy to drop its copies
        {defaultInterval ? ` every ${formatInterval(defaultInterval)}` : ''}, so the next visitor fetches fresh copies.
      </p>
      <p>
        Works with public profiles, repositories, files, wikis, gists and issues. Each entry also has a URL you can call
        after a release.
      </p>
      <p>
        <CheckLink /> Paste a page or image URL and see what GitHub serves, without saving anything.
      </p>
    </AboutCard>
  )
}

/** Old copies, faded, and the image that replaces them. */
const Picture = () => (
  <svg className={css.picture} viewBox="0 0 800 110" aria-hidden="true">
    {[0, 1, 2, 3].map((index) => (
      <g key={index} className={css.old} opacity={0.25 + index * 0.16} transform={`translate(${40 + index * 118} 18)`}>
        <Frame />
      </g>
    ))}
    <path className={css.way} d="M520 55h74m-14-12l14 12l-14 12" />
    <g className={css.fresh} transform="translate(640 18)">
      <Frame />
    </g>
  </svg>
)

const Frame = () => (
  <>
    <rect width={104} height={74} rx={9} />
    <circle cx={76} cy={22} r={8} />
    <path d="M8 62L36 32L56 52L72 40L96 62" />
  </>
)
