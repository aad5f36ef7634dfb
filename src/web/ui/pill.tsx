import css from './pill.module.css'

const StatusPill = ({ tone, text, dot }: { tone: string | undefined; text: string; dot?: boolean }) => (
  <span className={`${css.pill} ${tone}`}>
    {dot && <i />}
    {text}
  </span>
)

/** Active with a filled dot, Inactive with a hollow one: never by colour alone. */
export const ActivePill = ({ active }: { active: boolean }) => (
  <StatusPill dot tone={active ? css.ok : css.off} text={active ? 'Active' : 'Inactive'} />
)

export const RunPill = ({ success }: { success: boolean }) => (
  <StatusPill tone={success ? css.ok : css.bad} text={success ? 'SUCCESS' : 'FAIL'} />
)

export const Tag = ({ text }: { text: string }) => <StatusPill tone={css.tag} text={text} />
