import { AboutCard } from '../../../entries/pages/aside/about-card.tsx'
import css from './about.module.css'

export function About() {
  return (
    <AboutCard>
      <Picture />
      <h2>Every deploy in your channel, in order</h2>
      <p>
        Heroku can send a webhook for every build, release and crash. ToolBox forwards them to your Discord channel:
        paste a webhook URL of the channel, run one command, and each event becomes a message with the app, version,
        commit and duration.
      </p>
      <p>
        Heroku gets its answer as soon as an event is stored. While Discord is slow, rate-limited or down, events wait
        in order. If a webhook is deleted, they are held until you replace it. Nothing is lost.
      </p>
    </AboutCard>
  )
}

/** Events that arrive, wait in order, and become messages. */
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
