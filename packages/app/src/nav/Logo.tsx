/** Four services and the lines between them. */
export const Logo = ({ size = 32 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <path
      d="M8 8 L24 8 L24 24 L8 24 Z M8 8 L24 24 M24 8 L8 24"
      fill="none"
      stroke="#8fd3ff"
      strokeWidth="2"
    />
    <circle cx="8" cy="8" r="4.5" fill="#ffffff" />
    <circle cx="24" cy="8" r="4.5" fill="#4fb0ff" />
    <circle cx="24" cy="24" r="4.5" fill="#ffffff" />
    <circle cx="8" cy="24" r="4.5" fill="#4fb0ff" />
  </svg>
);
