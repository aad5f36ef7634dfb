import { AboutCard } from '../../../entries/pages/about-card.tsx'
import css from './about.module.css'

export function About() {
  return (
    <AboutCard>
      <Picture />
      <h2>Every deploy in the channel, in order</h2>
      <p>
        Heroku can tell a program of each build, release and crash. Here it tells your Discord channel: paste the URL of
        a webhook of the channel, run one command, and each event becomes a message that says which app, which version,
        which commit and how long it took.
      </p>
      <p>
        Heroku is answered as soon as an event is on disk. While Discord is slow, limited or away, events wait in the
        order in which they came; when a webhook is gone they are held until you put another in its place. None is lost.
      </p>
    </AboutCard>
  )
}

/** Events that arrive, wait their turn, and become messages. */
const Picture = () => (
  <svg className={css.picture} viewBox="0 0 800 110" aria-hidden="true">
    <path className={css.way} d="M40 55H560" />
    {[0, 1, 2, 3, 4, 5].map((index) => (
      <g key={index} transform={`translate(${60 + index * 92} 55)`}>
        <circle className={css.ground} r={12} />
        <circle className={css.event} r={9} opacity={0.3 + index * 0.14} />
      </g>
    ))}
    <path className={css.way} d="M552 43l14 12l-14 12" />
    <g transform="translate(610 14)">
      <path
        className={css.bubble}
        d="M10 2H140a10 10 0 0 1 10 10V58a10 10 0 0 1-10 10H42l-18 16v-16H10a10 10 0 0 1-10-10V12a10 10 0 0 1 10-10z"
      />
      <path className={css.edge} d="M20 20V50" />
      <path className={css.line} d="M38 24H104M38 36H126M38 48H86" />
    </g>
  </svg>
)
