//! Which statements of a group are one, and how a group is halved.

use super::*;

const INSERT: &str = "INSERT INTO t (a) SELECT r.a FROM ROWS(a) WHERE true ON CONFLICT DO NOTHING";
const UPDATE: &str = "UPDATE t SET b = r.b FROM ROWS(a, b) WHERE t.a = r.a";
const DELETE: &str = "DELETE FROM t WHERE a = $1";

/// The statements of a group with the number of their rows.
fn merged(group: &[Transaction]) -> Vec<(&'static str, usize)> {
    let steps = Steps::new(group, 0, Numbering::InTheStatement);
    steps.merged().iter().map(|it| (it.sql, it.rows.len())).collect()
}

fn transaction(steps: &[&'static str]) -> Transaction {
    let mut transaction = Transaction::new("testing");
    for sql in steps {
        transaction.one_row_each(sql, vec![params!["key"]]);
    }
    transaction
}

#[test]
fn equal_steps_of_a_group_are_one_statement() {
    let group = [INSERT, INSERT, INSERT].map(|sql| transaction(&[sql, UPDATE]));
    assert_eq!(merged(&group), [(INSERT, 3), (UPDATE, 3)]);
}

#[test]
fn the_steps_of_a_transaction_stay_in_their_order_and_apart() {
    let group = [transaction(&[INSERT, UPDATE]), transaction(&[UPDATE, INSERT])];
    assert_eq!(merged(&group), [(INSERT, 1), (UPDATE, 2), (INSERT, 1)]);
    let group = [transaction(&[UPDATE, UPDATE]), transaction(&[UPDATE])];
    assert_eq!(merged(&group), [(UPDATE, 2), (UPDATE, 1)]);
}

#[test]
fn only_batches_that_fail_on_the_same_row_twice_are_merged() {
    let group = [transaction(&[DELETE]), transaction(&[DELETE])];
    assert_eq!(merged(&group), [(DELETE, 1), (DELETE, 1)]);
    let any = |sql| {
        let mut any = Transaction::new("testing");
        any.any_rows_each(sql, vec![params!["key"]]);
        any
    };
    assert_eq!(merged(&[any(UPDATE), transaction(&[UPDATE])]), [(UPDATE, 1), (UPDATE, 1)]);
    assert_eq!(merged(&[any(INSERT), any(INSERT)]), [(INSERT, 2)]);
}

#[test]
fn a_group_is_halved_until_each_transaction_is_alone() {
    let mut group = Group::default();
    for _ in 0..5 {
        group.push(transaction(&[INSERT]), oneshot::channel().0);
    }
    let Ok([first, second]) = group.halves() else { panic!("it is not alone") };
    assert_eq!((first.transactions.len(), second.transactions.len()), (2, 3));
    let Ok([alone, _]) = first.halves() else { panic!("it is not alone") };
    assert!(alone.halves().is_err());
}
