import css from './pill.module.css'

type Look = 'ok' | 'bad' | 'busy' | 'off' | 'tag'

/** A word with a colour; the word says it all. */
export const StatusPill = ({ look, text, dot }: { look: Look; text: string; dot?: boolean }) => (
  <span className={`${css.pill} ${css[look]}`}>
    {dot && <i />}
    {text}
  </span>
)

/** Active with a filled dot, Inactive with a hollow one: never by colour alone. */
export const ActivePill = ({ active }: { active: boolean }) => (
  <StatusPill dot look={active ? 'ok' : 'off'} text={active ? 'Active' : 'Inactive'} />
)

export const RunPill = ({ success }: { success: boolean }) => (
  <StatusPill look={success ? 'ok' : 'bad'} text={success ? 'SUCCESS' : 'FAIL'} />
)

export const Tag = ({ text }: { text: string }) => <StatusPill look="tag" text={text} />
