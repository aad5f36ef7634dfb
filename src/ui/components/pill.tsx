import css from './pill.module.css'

export type Look = 'ok' | 'bad' | 'busy' | 'off' | 'tag'

/** A colored label whose text is clear without the color. */
export const StatusPill = ({ look, text, dot }: { look: Look; text: string; dot?: boolean }) => (
  <span className={`${css.pill} ${css[look]}`}>
    {dot && <i />}
    {text}
  </span>
)

export const RunPill = ({ success }: { success: boolean }) => (
  <StatusPill look={success ? 'ok' : 'bad'} text={success ? 'SUCCESS' : 'FAIL'} />
)

export const Tag = ({ text }: { text: string }) => <StatusPill look="tag" text={text} />
