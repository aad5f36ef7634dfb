import { Part } from '../../../ui/components/page.tsx'
import { Snippet } from '../../../ui/components/snippet.tsx'
import { RenewHook } from './renew-hook.tsx'
import css from './side.module.css'

/** The secret address that purges on demand, ready to be pasted. */
export function Hook({ entry: { id, hookUrl: url } }: { entry: { id: string; hookUrl: string } }) {
  const curl = `curl -fsS -X POST ${url}`
  const step = `- name: Refresh the images of the readme\n  run: curl -fsS -X POST "$HOOK"\n  env:\n    HOOK: \${{ secrets.TOOLBOX_HOOK }}`
  return (
    <Part className={css.side} aria-label="Purge after a release">
      <h2>Purge after a release</h2>
      <p>
        A POST to this address starts a run, once a minute at most; images purged in the last ten minutes are left
        alone. Whoever knows the address may do so: keep it to yourself.
      </p>
      <Snippet title="Address" text={url} />
      <RenewHook id={id} />
      <Snippet title="Shell" text={curl} />
      <Snippet title="GitHub Actions" text={step} />
      <p>
        For GitHub Actions, keep the address as a secret of the repository named <code>TOOLBOX_HOOK</code>.
      </p>
    </Part>
  )
}
