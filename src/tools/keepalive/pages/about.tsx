import { AboutCard } from '../../../entries/pages/aside/about-card.tsx'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { formatInterval } from '../../../ui/format-time.ts'
import { keepaliveNames } from '../terms.ts'
import css from './about.module.css'

const pings = Array.from({ length: 11 }, (_, index) => 40 + index * 72)

export function About() {
  const defaultInterval = useDefaultInterval(keepaliveNames.id)
  return (
    <AboutCard>
      <Picture />
      <h2>Always awake for your visitors</h2>
      <p>
        Free tiers put an app to sleep after a period of inactivity, 30 minutes on many hosts, and the next visitor has
        to wait for it to start. Register a URL here and ToolBox sends it a GET request
        {defaultInterval ? ` every ${formatInterval(defaultInterval)}` : ''}, day and night, so your app never goes
        idle.
      </p>
      <p>
        Every run is recorded: status, response time and, on failure, the reason. See at a glance when an app stopped
        responding.
      </p>
    </AboutCard>
  )
}

/** Pings at regular intervals. */
const Picture = () => (
  <svg viewBox="0 0 800 110" aria-hidden="true">
    <path className={css.ground} d="M0 92H800" />
    {pings.map((x) => (
      <g key={x}>
        <path className={css.stem} d={`M${x} 92V52`} />
        <circle className={css.head} cx={x} cy={40} r={6} />
      </g>
    ))}
  </svg>
)
