/**
 * One decision for each kind of element: pages put these together, and do not
 * draw states, ages, counts or tables of their own.
 */
export * from './Age';
export * from './BarList';
export * from './Counts';
export * from './CsvButton';
export * from './DataTable';
export * from './EmptyState';
export * from './ErrorState';
export * from './EvidenceList';
export * from './Facts';
export * from './FilterBar';
export * from './Fix';
export * from './LiveContent';
export * from './Loading';
export * from './Message';
export * from './Names';
export * from './PageTitle';
export * from './Paging';
export * from './Panel';
export * from './PartialBanner';
export * from './Severity';
export * from './State';
export * from './Unknown';
export * from './tone';
export * from './vocabulary';
