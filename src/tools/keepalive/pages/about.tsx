import { AboutCard } from '../../../entries/pages/about-card.tsx'
import { useDefaultInterval } from '../../../ui/data/server-config.ts'
import { formatInterval } from '../../../ui/format-time.ts'
import css from './keepalive.module.css'

const pings = Array.from({ length: 11 }, (_, index) => 40 + index * 72)

export function About() {
  const usual = useDefaultInterval('keepalive')
  return (
    <AboutCard>
      <Picture />
      <h2>Never asleep when somebody comes</h2>
      <p>
        Free tiers put an app to sleep when nobody has asked for it for a while, 30 minutes on many hosts, and the next
        visitor waits for it to wake. Register a URL here and ToolBox sends it a GET
        {usual ? ` every ${formatInterval(usual)}` : ''}, day and night, so that it never sits idle.
      </p>
      <p>
        Each answer is kept: whether it came, how long it took, and why not. You see at a glance when an app stopped
        answering.
      </p>
    </AboutCard>
  )
}

/** Pings at even distances. */
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
