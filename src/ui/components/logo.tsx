import css from './logo.module.css'

/** A cantilever box: handle, two trays, one drawer. `busy` opens and closes it every 1.5 s. */
export function Logo({ size = 28, busy = false }: { size?: number; busy?: boolean }) {
  return (
    <svg
      className={busy ? `${css.logo} ${css.busy}` : css.logo}
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      aria-hidden="true"
    >
      <path
        d="M11.4 10.6V8.2a3 3 0 0 1 3-3h3.2a3 3 0 0 1 3 3v2.4"
        stroke="currentColor"
        strokeWidth="2.3"
        strokeLinecap="round"
      />
      <rect x="4" y="11.4" width="11.3" height="6.2" rx="1.8" fill="currentColor" />
      <rect x="16.7" y="11.4" width="11.3" height="6.2" rx="1.8" fill="currentColor" />
      <rect x="4" y="19" width="24" height="8.6" rx="2.3" fill="var(--signal)" />
      <rect x="14" y="22.1" width="4" height="2.2" rx="1.1" fill="var(--on-signal)" />
    </svg>
  )
}

export const Loading = () => (
  <div className={css.loading} role="status">
    <Logo size={56} busy />
    <span className="sr">Loading</span>
  </div>
)
