import css from './pill.module.css'

export type Look = 'ok' | 'bad' | 'busy' | 'off' | 'tag'

/** A coloured word, which is understood without the colour. */
export const StatusPill = ({ look, text, dot }: { look: Look; text: string; dot?: boolean }) => (
  <span className={`${css.pill} ${css[look]}`}>
    {dot && <i />}
    {text}
  </span>
)

/** Active has a filled dot, Inactive a hollow one, so that they don't differ only by colour. */
export const ActivePill = ({ active }: { active: boolean }) => (
  <StatusPill dot look={active ? 'ok' : 'off'} text={active ? 'Active' : 'Inactive'} />
)

export const RunPill = ({ success }: { success: boolean }) => (
  <StatusPill look={success ? 'ok' : 'bad'} text={success ? 'SUCCESS' : 'FAIL'} />
)

export const Tag = ({ text }: { text: string }) => <StatusPill look="tag" text={text} />
